"""Drives a simulated cloud by boto3: clients, resources, paginators and waiters. Prints one JSON line for each check.

The expectations are what AWS documents. The address of the cloud is the only argument.
"""
import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, WaiterError

CREDENTIALS = {
    "endpoint_url": sys.argv[1],
    "region_name": "us-east-1",
    "aws_access_key_id": "AKIABOTO3",
    "aws_secret_access_key": "secret",
    "config": Config(retries={"max_attempts": 0}),
}
ec2 = boto3.client("ec2", **CREDENTIALS)
resource = boto3.resource("ec2", **CREDENTIALS)
scaling = boto3.client("autoscaling", **CREDENTIALS)
ssm = boto3.client("ssm", **CREDENTIALS)
iam = boto3.client("iam", **CREDENTIALS)
sts = boto3.client("sts", **CREDENTIALS)
QUICK = {"Delay": 1, "MaxAttempts": 20}


def check(name, run):
    """Runs one check; it passes if `run` returns True."""
    try:
        outcome = run()
        passed, why = outcome is True, None if outcome is True else repr(outcome)
    except Exception as error:  # pylint: disable=broad-except
        passed, why = False, f"{type(error).__name__}: {error}"
    print(json.dumps({"name": name, "passed": passed, "why": why}), flush=True)


def code_of(run):
    """The error code of a call that must fail."""
    try:
        run()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "none"


def refused(name, code, run):
    check(f"{name}: {code}", lambda: (lambda found: True if found == code else found)(code_of(run)))


def wait(kind, client=ec2, **arguments):
    client.get_waiter(kind).wait(WaiterConfig=QUICK, **arguments)
    return True


image = ec2.describe_images(Owners=["amazon"])["Images"][0]["ImageId"]
subnets = ec2.describe_subnets()["Subnets"]
made = ec2.run_instances(
    ImageId=image,
    InstanceType="t3.micro",
    MinCount=7,
    MaxCount=7,
    SubnetId=subnets[0]["SubnetId"],
    TagSpecifications=[{"ResourceType": "instance", "Tags": [{"Key": "Name", "Value": "boto"}]}],
)
ids = [one["InstanceId"] for one in made["Instances"]]
first = ids[0]

check("waiter instance_exists", lambda: wait("instance_exists", InstanceIds=ids))
check("waiter instance_running", lambda: wait("instance_running", InstanceIds=ids))
check("waiter instance_status_ok", lambda: wait("instance_status_ok", InstanceIds=ids))
check("waiter system_status_ok", lambda: wait("system_status_ok", InstanceIds=ids))
check("waiter image_available", lambda: wait("image_available", ImageIds=[image]))
check("waiter subnet_available", lambda: wait("subnet_available", SubnetIds=[subnets[0]["SubnetId"]]))
check("waiter key_pair_exists", lambda: wait("key_pair_exists", KeyNames=["default"]))


def pages(action, key, size=5, client=ec2, **arguments):
    """All entries of a list, read page by page, and the number of pages."""
    found = list(client.get_paginator(action).paginate(PaginationConfig={"PageSize": size}, **arguments))
    return [one for page in found for one in page[key]], len(found)


def machines_by_page():
    reservations, count = pages("describe_instances", "Reservations")
    found = [one["InstanceId"] for each in reservations for one in each["Instances"]]
    return count == 2 and found == ids


check("paginator describe_instances", machines_by_page)
check("paginator describe_instance_status", lambda: [len(pages("describe_instance_status", "InstanceStatuses")[0]), 7] == [7, 7])
check("paginator describe_volumes", lambda: pages("describe_volumes", "Volumes")[1] == 2)
check("paginator describe_network_interfaces", lambda: pages("describe_network_interfaces", "NetworkInterfaces")[1] == 2)
check("paginator describe_tags", lambda: len(pages("describe_tags", "Tags")[0]) == 7)
check("paginator describe_instance_types", lambda: pages("describe_instance_types", "InstanceTypes", 100)[1] > 1)
check("paginator describe_instance_type_offerings", lambda: len(pages("describe_instance_type_offerings", "InstanceTypeOfferings", 1000)[0]) > 100)
check("paginator describe_subnets", lambda: len(pages("describe_subnets", "Subnets")[0]) == len(subnets))
check("paginator describe_security_groups", lambda: len(pages("describe_security_groups", "SecurityGroups")[0]) > 0)
check("paginator describe_spot_price_history", lambda: len(pages("describe_spot_price_history", "SpotPriceHistory", 10, InstanceTypes=["m5.large"])[0]) > 0)
check("paginator get_parameters_by_path", lambda: pages("get_parameters_by_path", "Parameters", 3, ssm, Path="/aws/service/ami-amazon-linux-latest")[1] == 3)

machine = resource.Instance(first)
check("resource state", lambda: machine.state == {"Code": 16, "Name": "running"})
check("resource volumes", lambda: [one.size for one in machine.volumes.all()] == [8])
check("resource network interfaces", lambda: machine.network_interfaces[0].mac_address.count(":") == 5)
check("resource subnet", lambda: machine.subnet.id == subnets[0]["SubnetId"])
check("resource image", lambda: machine.image.id == image)
check("resource vpc", lambda: machine.vpc.is_default is True)
check("resource security groups", lambda: len(machine.security_groups) == 1)
check("resource attribute", lambda: machine.describe_attribute(Attribute="instanceType")["InstanceType"]["Value"] == "t3.micro")
check("resource modify attribute", lambda: machine.modify_attribute(SourceDestCheck={"Value": False})["ResponseMetadata"]["HTTPStatusCode"] == 200)
check("resource filter", lambda: len(list(resource.instances.filter(Filters=[{"Name": "tag:Name", "Values": ["boto"]}]))) == 7)
check("resource create tags", lambda: [one.key for one in machine.create_tags(Tags=[{"Key": "k", "Value": "v"}])] == ["k"])
check("resource tags", lambda: machine.reload() or sorted(one["Key"] for one in machine.tags) == ["Name", "k"])
check("resource delete tags", lambda: machine.delete_tags(Tags=[{"Key": "k"}]) is not False)
check("resource vpc addresses", lambda: list(resource.vpc_addresses.all()) == [])
check("resource reboot", lambda: bool(machine.reboot()) or True)
check("resource stop", lambda: machine.stop()["StoppingInstances"][0]["CurrentState"]["Name"] == "stopping")
check("waiter instance_stopped", lambda: wait("instance_stopped", InstanceIds=[first]))
check("resource start", lambda: machine.start()["StartingInstances"][0]["PreviousState"]["Name"] == "stopped")
check("resource wait until running", lambda: wait("instance_running", InstanceIds=[first]))

spot = [
    one["SpotInstanceRequestId"]
    for one in ec2.request_spot_instances(
        InstanceCount=2, LaunchSpecification={"ImageId": image, "InstanceType": "t3.micro"}
    )["SpotInstanceRequests"]
]
check("waiter spot_instance_request_fulfilled", lambda: wait("spot_instance_request_fulfilled", SpotInstanceRequestIds=spot))
check("cancelled Spot requests", lambda: [one["State"] for one in ec2.cancel_spot_instance_requests(SpotInstanceRequestIds=spot)["CancelledSpotInstanceRequests"]] == ["cancelled"] * 2)
check("paginator describe_spot_instance_requests", lambda: len(pages("describe_spot_instance_requests", "SpotInstanceRequests")[0]) == 2)

refused("unknown machine", "InvalidInstanceID.NotFound", lambda: ec2.describe_instances(InstanceIds=["i-0123456789abcdef0"]))
refused("malformed image", "InvalidAMIID.Malformed", lambda: ec2.run_instances(ImageId="ami-zzz", MinCount=1, MaxCount=1))
refused("dry run", "DryRunOperation", lambda: ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, DryRun=True))
refused("dry run of an unknown machine", "InvalidInstanceID.NotFound", lambda: ec2.terminate_instances(InstanceIds=["i-0123456789abcdef0"], DryRun=True))
refused("more machines than at most", "InvalidParameterCombination", lambda: ec2.run_instances(ImageId=image, MinCount=2, MaxCount=1))
refused("unknown filter", "InvalidParameterValue", lambda: ec2.describe_instances(Filters=[{"Name": "color", "Values": ["red"]}]))
refused("expired page", "InvalidPaginationToken", lambda: ec2.describe_instances(MaxResults=5, NextToken="none"))
refused("unknown group", "ValidationError", lambda: scaling.set_desired_capacity(AutoScalingGroupName="none", DesiredCapacity=1))
spot_machines = [one["InstanceId"] for one in ec2.describe_spot_instance_requests()["SpotInstanceRequests"]]
check("waiter of Spot machines", lambda: wait("instance_running", InstanceIds=spot_machines))
refused("stopped Spot machine", "UnsupportedOperation", lambda: ec2.stop_instances(InstanceIds=spot_machines))
refused("unknown volume", "InvalidVolume.NotFound", lambda: ec2.describe_volumes(VolumeIds=["vol-0123456789abcdef0"]))
refused("unknown interface", "InvalidNetworkInterfaceID.NotFound", lambda: ec2.describe_network_interfaces(NetworkInterfaceIds=["eni-0123456789abcdef0"]))
refused("unknown role", "NoSuchEntity", lambda: iam.get_role(RoleName="missing"))
refused("unknown parameter", "ParameterNotFound", lambda: ssm.get_parameter(Name="/missing"))

check("role", lambda: iam.get_role(RoleName="one")["Role"]["AssumeRolePolicyDocument"]["Statement"][0]["Effect"] == "Allow")
check("identity", lambda: len(sts.get_caller_identity()["Account"]) == 12)
template = ec2.create_launch_template(LaunchTemplateName="boto", LaunchTemplateData={"ImageId": image, "InstanceType": "t3.micro"})
scaling.create_auto_scaling_group(
    AutoScalingGroupName="boto",
    MinSize=0,
    MaxSize=8,
    DesiredCapacity=2,
    AvailabilityZones=["us-east-1a", "us-east-1b"],
    LaunchTemplate={"LaunchTemplateName": "boto", "Version": "$Latest"},
)


def group():
    return scaling.describe_auto_scaling_groups(AutoScalingGroupNames=["boto"])["AutoScalingGroups"][0]


def in_service():
    import time

    for _ in range(40):
        members = group()["Instances"]
        if len(members) == 2 and all(one["LifecycleState"] == "InService" for one in members):
            return True
        time.sleep(0.25)
    return group()["Instances"]


check("members of a group in service", in_service)
check("attached machines", lambda: scaling.attach_instances(AutoScalingGroupName="boto", InstanceIds=[one["InstanceId"] for one in made["Instances"] if one["Placement"]["AvailabilityZone"] == "us-east-1a"][1:2]) and group()["DesiredCapacity"] == 3)
check("paginator describe_auto_scaling_groups", lambda: len(pages("describe_auto_scaling_groups", "AutoScalingGroups", 1, scaling)[0]) == 1)
check("paginator describe_scaling_activities", lambda: len(pages("describe_scaling_activities", "Activities", 1, scaling, AutoScalingGroupName="boto")[0]) >= 2)
check("deleted group", lambda: scaling.delete_auto_scaling_group(AutoScalingGroupName="boto", ForceDelete=True)["ResponseMetadata"]["HTTPStatusCode"] == 200)

ec2.terminate_instances(InstanceIds=ids)
check("waiter instance_terminated", lambda: wait("instance_terminated", InstanceIds=ids))


def never():
    try:
        ec2.get_waiter("instance_running").wait(InstanceIds=[first], WaiterConfig=QUICK)
    except WaiterError as error:
        return "terminal failure" in str(error)
    return False


check("waiter of a terminated machine fails at once", never)
